"""
Messages <-> domain values, and the conversation of one stream.

The only package that knows protobuf. Encoders take what a seat may know (views,
tells, questions), never a deal, so a leak would be a type error.
"""

"""
Plays one game of Bid Euchre or Buck Euchre fairly, between programs.
"""

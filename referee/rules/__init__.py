"""
The rules of both games, without bots, clocks or chance.
"""

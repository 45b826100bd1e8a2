"""Sources, blocks and controllers whose inputs and outputs are single numbers.

A signal carries no unit: its output `y` connects to an input of any unit and counts there in that unit, as `y` of a Step with
`height` 12 is 12 V at the input `voltage` of a source. Inputs of these blocks take outputs of any unit in the same way. One output
may feed many inputs; an input has one source, and the start value where it has none.
"""

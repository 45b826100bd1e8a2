"""Tables of components: the word of the declaration language, and the numbers that users give."""

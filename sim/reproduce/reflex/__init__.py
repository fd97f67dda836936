"""Paper Reflex. Its curves have no numbers in the text: shapes, orders, words are compared."""

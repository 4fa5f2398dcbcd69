"""Documents of other kinds than web pages as text: PDF, Word, EPUB, mail, notebooks, and text with wrapped lines."""

"""Web pages as text that a model can read: main content as markdown, images and links beside it."""

from summarizer_tool.html.convert import to_markdown
from summarizer_tool.html.page import Heading, Image, Link, Page
from summarizer_tool.html.writing import Links

__all__ = ['Heading', 'Image', 'Link', 'Links', 'Page', 'to_markdown']

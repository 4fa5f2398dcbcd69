"""What the tests of the researcher share."""

"""What all web pages share: the site and its tokens, languages and words, and the camera's page."""

"""What all pages for browsers share: the site and its tokens, languages and words, and the camera's page."""

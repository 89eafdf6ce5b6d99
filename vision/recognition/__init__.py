"""Inside the recogniser: canonical pictures, views of a reference, descriptors, confidence."""

"""The parts of the recogniser: canonical pictures, views of a reference, descriptors, confidence."""

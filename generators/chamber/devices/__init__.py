"""The devices of a chamber, one module each; every module exports one DEVICE."""

"""Downloads of learning platforms, one module each: `fits` recognises it, `attempts` reads it."""

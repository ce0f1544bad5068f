def look(name):
    """A variable of the worker's function that answers the job."""
    frame = sys._getframe(1)
    while frame.f_code.co_name != "carry_out" or name not in frame.f_locals:
        frame = frame.f_back
    return frame.f_locals[name]


KEYS = [f"{exercise['exercise']}/{case['id']}" for exercise, _ in look("exercises") for case in exercise["cases"]]


def keys_of(exercise):
    return [key for key in KEYS if key.startswith(f"{exercise}/")]

# attempts: system calls by the 32-bit entry of the kernel, whose numbers a filter for 64 bits does not know
# expect: attention_scores = crashed, error
# expect: points = 0
import ctypes
import mmap
import platform

CODE = bytes.fromhex("b814000000 cd80 c3".replace(" ", ""))  # mov eax, 20 (getpid of i386); int 0x80; ret


def attention_scores(Q, K):
    if platform.machine() != "x86_64":
        raise RuntimeError("there is no such entry")
    memory = mmap.mmap(-1, 4096, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
    memory.write(CODE)
    address = ctypes.addressof(ctypes.c_char.from_buffer(memory))
    assert ctypes.CFUNCTYPE(ctypes.c_int)(address)() > 0
    return Q @ K.mT / Q.size(-1) ** 0.5

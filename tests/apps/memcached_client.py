"""Sets and reads back values over several connections; prints what came back, as a sum."""
import hashlib
import socket
import sys
import threading

CONNECTIONS = 20
VALUES = 1000

total = [0] * CONNECTIONS


def talk(number):
    with socket.create_connection(("127.0.0.1", int(sys.argv[1]))) as connection:
        stream = connection.makefile("rwb")
        for i in range(VALUES):
            value = hashlib.sha256(b"%d %d" % (number, i)).hexdigest().encode()
            stream.write(b"set k%d-%d 0 0 %d\r\n%s\r\n" % (number, i, len(value), value))
            stream.write(b"get k%d-%d\r\n" % (number, i))
            stream.flush()
            assert stream.readline() == b"STORED\r\n"
            assert stream.readline().startswith(b"VALUE ")
            assert stream.readline() == value + b"\r\n"
            assert stream.readline() == b"END\r\n"
            total[number] += int(value[:8], 16)


threads = [threading.Thread(target=talk, args=(n,)) for n in range(CONNECTIONS)]
for thread in threads:
    thread.start()
for thread in threads:
    thread.join()
assert all(total), "a connection failed"
print(sum(total))

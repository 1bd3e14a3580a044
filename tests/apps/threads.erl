%% An expression for erl -eval. Prints answers, then "ready"; ends with its input.
Me = self(),
Fib = fun Fib(N) when N < 2 -> N; Fib(N) -> Fib(N - 1) + Fib(N - 2) end,
Work = fun(N) ->
    File = "file." ++ integer_to_list(N rem 50),
    case N < 50 of true -> ok = file:write_file(File, integer_to_list(N)); false -> ok end,
    %% Compresses on a dirty scheduler.
    Text = binary:copy(integer_to_binary(N), 20000),
    Text = zlib:uncompress(zlib:compress(Text)),
    Me ! {N, Fib(12) + N, erlang:crc32(Text)}
end,
[spawn_link(fun() -> Work(N) end) || N <- lists:seq(0, 999)],
[receive {N, Sum, Crc} -> io:format("~b ~b ~b~n", [N, Sum, Crc]) end || N <- lists:seq(0, 999)],
io:format("ready~n"),
eof = io:get_line(""),
halt(0).

/// `tail.` calls that need more argument space than their caller has. A helper of the runtime makes the call, and the caller's
/// frame stays until it returns, although its activation has ended. Exceptions pass such frames like any other.
module FSharpSample.Tails

open System
open System.Runtime.CompilerServices
open Counting

[<MethodImpl(MethodImplOptions.NoInlining)>]
let note (text: string) : int64 =
    Count.Hit "FSharpSample.Tails.note(string)"
    int64 text.Length

/// `how`: 0 returns, 1 throws, 2 calls a function that throws, 3 and 4 call a wider function, which throws or continues.
[<MethodImpl(MethodImplOptions.NoInlining)>]
let rec wide (how: int) (a: int64) (b: int64) (c: int64) (d: int64) (e: int64) (f: int64) (g: int64) (h: int64) : int64 =
    Count.Hit "FSharpSample.Tails.wide(int, long, long, long, long, long, long, long, long)"

    match how with
    | 0 -> a + b + c + d + e + f + g + h
    | 1 ->
        Count.Thrown "FSharpSample.Tails.wide(int, long, long, long, long, long, long, long, long)"
        raise (InvalidOperationException "wide")
    | 2 ->
        Count.Thrown "FSharpSample.Tails.wide(int, long, long, long, long, long, long, long, long)"
        1L + narrow 0 1
    | _ -> wider (how = 3) a b c d e f g h a b // it was called by the helper, and goes back to it

and [<MethodImpl(MethodImplOptions.NoInlining)>] wider
    (throws: bool)
    (a: int64)
    (b: int64)
    (c: int64)
    (d: int64)
    (e: int64)
    (f: int64)
    (g: int64)
    (h: int64)
    (i: int64)
    (j: int64)
    : int64 =
    Count.Hit "FSharpSample.Tails.wider(bool, long, long, long, long, long, long, long, long, long, long)"

    if throws then
        Count.Thrown "FSharpSample.Tails.wider(bool, long, long, long, long, long, long, long, long, long, long)"
        raise (InvalidOperationException "wider")

    narrow 0 (int (a + b + c + d + e + f + g + h + i + j) - 39)

/// Catches in an older activation of the method whose frame has stayed.
and [<MethodImpl(MethodImplOptions.NoInlining)>] narrow (depth: int) (how: int) : int64 =
    Count.Hit "FSharpSample.Tails.narrow(int, int)"

    if depth > 0 then
        try
            1L + narrow (depth - 1) how
        with problem ->
            note problem.Message
    elif how > 0 && how < 4 then
        Count.Left "FSharpSample.Tails.narrow(int, int)"
        wide how 1L 2L 3L 4L 5L 6L 7L 8L
    else
        wide how 1L 2L 3L 4L 5L 6L 7L 8L

/// The exception passes the older activation as well.
[<MethodImpl(MethodImplOptions.NoInlining)>]
let rec passes (depth: int) (how: int) : int64 =
    Count.Hit "FSharpSample.Tails.passes(int, int)"

    if depth > 0 then
        Count.Thrown "FSharpSample.Tails.passes(int, int)"
        1L + passes (depth - 1) how
    else
        Count.Left "FSharpSample.Tails.passes(int, int)"
        wide how 1L 2L 3L 4L 5L 6L 7L 8L

[<MethodImpl(MethodImplOptions.NoInlining)>]
let caught (how: int) : int64 =
    Count.Hit "FSharpSample.Tails.caught(int)"

    try
        passes 2 how
    with problem ->
        note problem.Message

/// Far deeper than any stack.
[<MethodImpl(MethodImplOptions.NoInlining)>]
let rec climb (n: int) : int64 =
    Count.Hit "FSharpSample.Tails.climb(int)"
    if n = 0 then 0L else stride n 1L 2L 3L 4L 5L 6L 7L 8L

and [<MethodImpl(MethodImplOptions.NoInlining)>] stride (n: int) (a: int64) (b: int64) (c: int64) (d: int64) (e: int64) (f: int64) (g: int64) (h: int64) : int64 =
    Count.Hit "FSharpSample.Tails.stride(int, long, long, long, long, long, long, long, long)"
    if a + b + c + d + e + f + g + h = 36L then climb (n - 1) else 1L

[<MethodImpl(MethodImplOptions.NoInlining)>]
let run () : unit =
    Count.Hit "FSharpSample.Tails.run()"
    let mutable sum = 0L

    for _ in 1..200 do // long enough to be compiled again
        for how in 0..4 do
            sum <- sum + narrow 0 0 + narrow 1 how + narrow 3 how

        for how in 1..3 do
            sum <- sum + caught how

    Console.WriteLine(String.Format("tails {0} {1}", sum, climb 200_000))

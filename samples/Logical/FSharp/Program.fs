/// Task expressions whose every logical call, run and wait is known: `LogicalFSharp PART THREADS [storm]`, as in ../CSharp.
module Logical.Program

open System
open System.Runtime.CompilerServices
open System.Threading.Tasks
open Outside

[<MethodImpl(MethodImplOptions.NoInlining)>]
let leaf (turns: int) : Task<int> =
    task {
        let frame = Oracle.EnterAsync()

        for _ in 1..turns do
            do! Pump.Turn()
            frame.RanAbove()

        frame.End()
        return turns
    }

[<MethodImpl(MethodImplOptions.NoInlining)>]
let forward (turns: int) : Task<int> =
    let frame = Oracle.Enter()
    let started = leaf turns
    frame.End()
    started

[<MethodImpl(MethodImplOptions.NoInlining)>]
let middle (turns: int) : Task<int> =
    task {
        let frame = Oracle.EnterAsync()
        let! first = leaf turns
        frame.RanAbove()
        let! second = forward 1
        frame.RanAbove()
        let! none = leaf 0
        frame.End()
        return first + second + none
    }

[<MethodImpl(MethodImplOptions.NoInlining)>]
let rec down (n: int) : Task<int> =
    task {
        let frame = Oracle.EnterAsync()

        if n = 0 then
            do! Pump.Turn()
            frame.RanAbove()
            frame.End()
            return 0
        else
            let! below = down (n - 1)
            frame.RanAbove()
            frame.End()
            return below + 1
    }

[<MethodImpl(MethodImplOptions.NoInlining)>]
let failing () : Task<int> =
    task {
        let frame = Oracle.EnterAsync()
        do! Pump.Turn()
        frame.RanAbove()
        frame.Faults() |> ignore
        return raise (InvalidOperationException "failing")
    }

[<MethodImpl(MethodImplOptions.NoInlining)>]
let catching () : Task<int> =
    task {
        let frame = Oracle.EnterAsync()

        try
            let! result = failing ()
            return result
        with :? InvalidOperationException ->
            frame.RanAbove(3)
            frame.End()
            return 0
    }

[<MethodImpl(MethodImplOptions.NoInlining)>]
let closures (times: int) : Task<int> =
    task {
        let frame = Oracle.EnterAsync()
        let mutable sum = 0

        for i in 1..times do
            let! one = Task.WhenAll(leaf 1, middle 2, leaf 3)
            frame.RanAbove()
            sum <- sum + one[0]

        frame.End()
        return sum
    }

let all () : Task =
    task {
        let frame = Oracle.EnterAsync()

        for i in 1..50 do
            let! _ = middle (1 + i % 3)
            frame.RanAbove()
            let! _ = catching ()
            frame.RanAbove()
            let! _ = closures 2
            frame.RanAbove()
            ()

        let! _ = down 100
        frame.RanAbove()
        frame.End()
    }

[<EntryPoint>]
let main (arguments: string[]) : int =
    let frame = Oracle.Enter()

    if Array.contains "storm" arguments then
        Storm.Begin()

    Pump.Run(int arguments[1], all)
    frame.End()
    Oracle.Write()
    Console.WriteLine "logical: success"
    0

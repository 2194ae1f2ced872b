/// Constructs that F# compiles differently: `tail.` calls, closures, pipelines, unions, sequences, async and task expressions.
/// NoInlining prevents the F# compiler from merging functions, so that the program makes the calls of the source.
module FSharpSample.Program

open System
open System.Runtime.CompilerServices
open System.Threading.Tasks
open Counting

// Mutual recursion in tail position, far deeper than any stack: every call must stay a tail call.
[<MethodImpl(MethodImplOptions.NoInlining)>]
let rec isEven (n: int) : bool =
    Count.Hit "FSharpSample.Program.isEven(int)"
    if n = 0 then true else isOdd (n - 1)

and [<MethodImpl(MethodImplOptions.NoInlining)>] isOdd (n: int) : bool =
    Count.Hit "FSharpSample.Program.isOdd(int)"
    if n = 0 then false else isEven (n - 1)

// A tail call of a function value with a state too large for registers.
[<MethodImpl(MethodImplOptions.NoInlining)>]
let rec ping (n: int) (a: decimal) (b: decimal) (c: int64) : decimal =
    Count.Hit "FSharpSample.Program.ping(int, decimal, decimal, long)"
    if n = 0 then a + b + decimal c else pong (n - 1) b a (c + 1L)

and [<MethodImpl(MethodImplOptions.NoInlining)>] pong (n: int) (a: decimal) (b: decimal) (c: int64) : decimal =
    Count.Hit "FSharpSample.Program.pong(int, decimal, decimal, long)"
    if n = 0 then a - b - decimal c else ping (n - 1) b a (c - 1L)

type Shape =
    | Circle of radius: int
    | Rectangle of width: int * height: int
    | Group of Shape list
    | Nothing

[<MethodImpl(MethodImplOptions.NoInlining)>]
let rec area (shape: Shape) : int =
    Count.Hit "FSharpSample.Program.area(Program.Shape)"

    match shape with
    | Circle radius -> 3 * radius * radius
    | Rectangle(width, height) -> width * height
    | Group shapes -> shapes |> List.sumBy area
    | Nothing -> 0

[<MethodImpl(MethodImplOptions.NoInlining)>]
let square (n: int) : int =
    Count.Hit "FSharpSample.Program.square(int)"
    n * n

[<MethodImpl(MethodImplOptions.NoInlining)>]
let keep (n: int) : bool =
    Count.Hit "FSharpSample.Program.keep(int)"
    n % 2 = 1

[<MethodImpl(MethodImplOptions.NoInlining)>]
let pipeline (count: int) : int =
    Count.Hit "FSharpSample.Program.pipeline(int)"
    [ 1..count ] |> List.filter keep |> List.map square |> List.fold (+) 0

[<MethodImpl(MethodImplOptions.NoInlining)>]
let numbers (count: int) : seq<int> =
    Count.Hit "FSharpSample.Program.numbers(int)"

    seq {
        for i in 1..count do
            yield square i

        if count > 0 then
            yield! [ 0; 0 ]
    }

// A tail call leaves the caller: the fault has no activation of `fails` to pass through.
[<MethodImpl(MethodImplOptions.NoInlining)>]
let refuse (text: string) : int =
    Count.Hit "FSharpSample.Program.refuse(string)"
    Count.Thrown "FSharpSample.Program.refuse(string)"
    raise (InvalidOperationException text)

[<MethodImpl(MethodImplOptions.NoInlining)>]
let fails (text: string) : int =
    Count.Hit "FSharpSample.Program.fails(string)"
    Count.Thrown "FSharpSample.Program.fails(string)"
    1 + refuse text

[<MethodImpl(MethodImplOptions.NoInlining)>]
let caught (text: string) : string =
    Count.Hit "FSharpSample.Program.caught(string)"

    try
        string (fails text)
    with
    | :? InvalidOperationException as problem when problem.Message = "wanted" -> "wanted"
    | problem -> "other " + problem.Message

[<MethodImpl(MethodImplOptions.NoInlining)>]
let finished (text: string) : int =
    Count.Hit "FSharpSample.Program.finished(string)"

    try
        text.Length
    finally
        square 3 |> ignore

type Counter(start: int) =
    let mutable value = start

    member _.Value
        with [<MethodImpl(MethodImplOptions.NoInlining)>] get () =
            Count.Hit "FSharpSample.Program.Counter.Value.get()"
            value

    [<MethodImpl(MethodImplOptions.NoInlining)>]
    member this.Add(n: int) : Counter =
        Count.Hit "FSharpSample.Program.Counter.Add(int)"
        value <- value + n
        this

    interface IServiceProvider with
        [<MethodImpl(MethodImplOptions.NoInlining)>]
        member _.GetService(kind: Type) : obj =
            Count.Hit "FSharpSample.Program.Counter.IServiceProvider.GetService(Type)"
            box (kind.Name.Length + value)

[<MethodImpl(MethodImplOptions.NoInlining)>]
let asyncWork (n: int) : Async<int> =
    Count.Hit "FSharpSample.Program.asyncWork(int)"

    async {
        let! half = async { return square n }
        do! Async.Sleep 1
        return half + square 1
    }

[<MethodImpl(MethodImplOptions.NoInlining)>]
let taskWork (n: int) : Task<int> =
    Count.Hit "FSharpSample.Program.taskWork(int)"

    task {
        let mutable sum = 0

        for i in 1..n do
            do! Task.Yield()
            sum <- sum + square i

        return sum
    }

[<MethodImpl(MethodImplOptions.NoInlining)>]
let apply (f: int -> int) (n: int) : int =
    Count.Hit "FSharpSample.Program.apply(FSharpFunc<int, int>, int)"
    1 + f n

[<MethodImpl(MethodImplOptions.NoInlining)>]
let adder (n: int) : int -> int =
    Count.Hit "FSharpSample.Program.adder(int)"
    fun x -> square (x + n)

/// Compiler-generated members: those of the union, of which main makes five and area reads six; a class's constructor; the
/// body of a sequence, which runs once for each of its ten items and once for the rest.
[<MethodImpl(MethodImplOptions.NoInlining)>]
let unionMembers () : unit =
    Count.Hit "FSharpSample.Program.unionMembers()"
    Count.Add("FSharpSample.Program.Shape..cctor()", 1)
    Count.Add("FSharpSample.Program.Shape..ctor(int)", 6)
    Count.Add("FSharpSample.Program.Shape.Circle..ctor(int)", 2)
    Count.Add("FSharpSample.Program.Shape.Group..ctor(FSharpList<Program.Shape>)", 2)
    Count.Add("FSharpSample.Program.Shape.Rectangle..ctor(int, int)", 1)
    Count.Add("FSharpSample.Program.Shape.NewCircle(int)", 2)
    Count.Add("FSharpSample.Program.Shape.NewGroup(FSharpList<Program.Shape>)", 2)
    Count.Add("FSharpSample.Program.Shape.NewRectangle(int, int)", 1)
    Count.Add("FSharpSample.Program.Shape.Nothing.get()", 1)
    Count.Add("FSharpSample.Program.Shape.Tag.get()", 6)
    Count.Add("FSharpSample.Program.Counter..ctor(int)", 1)
    Count.Add("FSharpSample.Program.numbers(int) (iterator)", 11)

// F# allows any character in a name: these look like a parameter list and like type arguments.
[<MethodImpl(MethodImplOptions.NoInlining)>]
let ``gives 3 (three)`` (n: int) : int =
    Count.Hit "FSharpSample.Program.gives 3 (three)(int)"
    n + 2

[<MethodImpl(MethodImplOptions.NoInlining)>]
let ``</script><img src=x>`` (n: int) : int =
    Count.Hit "FSharpSample.Program.</script><img src=x>(int)"
    ``gives 3 (three)`` n + 1

[<MethodImpl(MethodImplOptions.NoInlining)>]
let everything () : unit =
    Count.Hit "FSharpSample.Program.everything()"
    Console.WriteLine(String.Format("even {0} odd {1}", isEven 3_000_000, isOdd 11))
    Console.WriteLine(String.Format("ping {0}", ping 200_000 1m 2m 3L))
    let shapes = Group [ Circle 2; Rectangle(3, 4); Group [ Nothing; Circle 1 ] ]
    Console.WriteLine(String.Format("area {0}", area shapes))
    Console.WriteLine(String.Format("pipeline {0} sequence {1}", pipeline 20, Seq.sum (numbers 10)))
    Console.WriteLine(String.Format("{0} {1} {2}", caught "wanted", caught "unwanted", finished "abc"))
    let counter = Counter 3
    let other = counter.Add(4).Add 5
    Console.WriteLine(String.Format("counter {0} {1}", other.Value, (counter :> IServiceProvider).GetService typeof<int>))
    Console.WriteLine(String.Format("apply {0} {1}", apply (adder 2) 3, apply (fun x -> x * 2) 4))
    Console.WriteLine(String.Format("async {0}", [ for i in 1..20 -> asyncWork i ] |> Async.Parallel |> Async.RunSynchronously |> Array.sum))
    Console.WriteLine(String.Format("task {0}", (taskWork 50).Result))
    Console.WriteLine(String.Format("names {0}", ``</script><img src=x>`` 1))
    unionMembers ()

[<EntryPoint>]
let main (arguments: string[]) : int =
    Count.Hit "FSharpSample.Program.main(string[])"

    match arguments with
    | [| "tails" |] -> FSharpSample.Tails.run ()
    | _ -> everything ()

    Count.Write()
    Console.WriteLine "fsharp: success"
    0

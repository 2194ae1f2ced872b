/// Definitions as F# makes them, each with the oracle's call on the line below (see Oracle/Oracle.cs): values that are locals in
/// Debug alone, mutable ones, ref cells, closures, records, unions, byrefs, computation expressions.
module ValuesFSharp.Program

open System
open System.Runtime.CompilerServices
open System.Threading.Tasks
open Microsoft.FSharp.NativeInterop

type Above = Oracle.Above

type Colour =
    | Red = 0
    | Blue = 10

[<Measure>]
type metre

type Point = { X: int; Y: int }

[<Struct>]
type Pair = { First: int; mutable Second: string }

[<Struct>]
type Size =
    val mutable Width: int
    val mutable Height: int64

type Shape =
    | Circle of radius: float
    | Box of width: int * height: int
    | Nothing

[<Struct>]
type Answer =
    | Yes of yes: int
    | No of no: string

let mutable counter = 1

let globalText = "module"

let scalars () =
    let truth = true
    Above.Local("truth", truth)
    let letter = 'x'
    Above.Local("letter", letter)
    let small = 255uy
    Above.Local("small", small)
    let mutable number = 5
    Above.Local("number", number)
    number <- number * 3
    Above.Local("number", number)
    number <- -number
    Above.Local("number", number)
    let large = Int64.MinValue
    Above.Local("large", large)
    let real = 0.1 + 0.2
    Above.Local("real", real)
    let single = 1.5f
    Above.Local("single", single)
    let money = 12.50M
    Above.Local("money", money)
    let native = -7n
    Above.Local("native", native)
    let distance = 3.5<metre>
    Above.Local("distance", distance)
    let colour = Colour.Blue
    Above.Local("colour", colour)
    let day = DateTime(2026, 3, 4)
    Above.Local("day", day)
    let id = Guid.Empty
    Above.Local("id", id)
    let perhaps = Nullable 5
    Above.Local("perhaps", perhaps)
    let mutable none = Nullable<int>() // nothing is stored: locals are empty at first
    none <- perhaps
    Above.Local("none", none)

let texts () =
    let empty = ""
    Above.Local("empty", empty)
    let lines = "one\r\ntwo\\"
    Above.Local("lines", lines)
    let mutable text = "a"
    Above.Local("text", text)
    text <- text + "b"
    Above.Local("text", text)
    text <- sprintf "%s-%d" text 3
    Above.Local("text", text)
    text <- $"{text}!"
    Above.Local("text", text)
    text <- null
    Above.Local("text", text)
    let face = "\U0001F600"
    Above.Local("face", face)
    let copy = globalText
    Above.Local("copy", copy)

let data () =
    let point = { X = 1; Y = 2 }
    Above.Local("point", point)
    let moved = { point with Y = 5 }
    Above.Local("moved", moved)
    let mutable pair = { First = 1; Second = "one" }
    Above.Local("pair", pair)
    pair.Second <- "two" // by its property
    pair <- { pair with First = 9 }
    Above.Local("pair", pair)
    let mutable size = Size()
    size.Width <- 3
    Above.Field("Width", size.Width)
    size.Height <- 4L
    Above.Field("Height", size.Height)
    let copy = size
    Above.Local("copy", copy)
    let shape = Circle 1.5
    Above.Local("shape", shape)
    let box = Box(2, 3)
    Above.Local("box", box)
    let nothing = Nothing
    Above.Local("nothing", nothing)
    let mutable answer = Yes 5
    Above.Local("answer", answer)
    answer <- No "reason"
    Above.Local("answer", answer)
    let tuple = (1, "one")
    Above.Local("tuple", tuple)
    let struct (count, name) = struct (2, "two")
    Above.Local("count", count)
    let some = Some 5
    Above.Local("some", some)
    let missing: string option = None
    Above.Local("missing", missing)
    let list = [ 1; 2; 3 ]
    Above.Local("list", list)
    let tail = List.tail list
    Above.Local("tail", tail)
    let map = Map.ofList [ 1, "one" ]
    Above.Local("map", map)

let matching (shape: Shape) =
    match shape with
    | Circle radius ->
        let area = radius * radius * 3.0
        Above.Local("area", area)
    | Box(width, height) when width > 1 ->
        let area = width * height
        Above.Local("area", area)
    | _ ->
        let area = 0
        Above.Local("area", area)

let arrays () =
    let numbers = Array.zeroCreate<int> 3
    Above.Local("numbers", numbers)
    numbers[1] <- 5
    Above.Item("numbers[1]", numbers[1])
    let words = [| "a"; "b" |]
    Above.Local("words", words)
    words[0] <- null
    Above.Item("words[0]", words[0])
    let points = [| { First = 1; Second = "s" } |]
    Above.Local("points", points)
    points[0] <- { First = 2; Second = "t" }
    Above.Item("points[0]", points[0])
    let reals = [| 0.5 |]
    Above.Local("reals", reals)
    reals[0] <- reals[0] / 2.0
    Above.Item("reals[0]", reals[0])
    let mutable sum = 0
    Above.Local("sum", sum)
    for number in numbers do
        sum <- sum + number
        Above.Local("sum", sum)
    for i in 0..2 do
        let square = i * i
        Above.Local("square", square)
    while sum > 0 do
        sum <- sum - 2
        Above.Local("sum", sum)

[<MethodImpl(MethodImplOptions.NoInlining)>]
let setThrough (target: byref<int>) (value: int) =
    target <- value
    Above.Through("target", target)

let references () =
    let mutable number = 1
    Above.Local("number", number)
    setThrough &number 20
    Above.Local("number", number)
    let reference = &number
    reference <- 30
    Above.Through("reference", reference)
    let found, parsed = Int32.TryParse "12"
    Above.Local("parsed", parsed)
    let items = [| 1; 2 |]
    Above.Local("items", items)
    setThrough &items[1] 40
    Above.Item("items[1]", items[1])
    let span = Span items
    Above.Span("span", span)
    span[0] <- 50
    Above.Through("span[0]", span[0])
    let memory = NativePtr.stackalloc<int> 2
    NativePtr.set memory 1 60
    Above.Through("memory[1]", NativePtr.get memory 1)

type Account(start: int, owner: string) =
    let mutable balance = start
    let opened = DateTime(2026, 1, 1)
    static let mutable accounts = 0

    member val Note = "" with get, set

    member _.Owner = owner

    member _.Deposit(amount: int) =
        balance <- balance + amount
        Above.Field("balance", balance)
        accounts <- accounts + 1
        Above.Field("accounts", accounts)
        balance

    member _.Opened = opened

let objects () =
    let account = Account(10, "Ann")
    Above.Local("account", account)
    let balance = account.Deposit 5
    Above.Local("balance", balance)
    account.Note <- "note"
    let note = account.Note
    Above.Local("note", note)
    counter <- counter + 5 // by its property
    let boxed = box 5
    Above.Local("boxed", boxed)

let closures () =
    let cell = ref 1
    Above.Local("cell", cell)
    cell.Value <- 5
    let add n =
        let sum = n + cell.Value
        Above.Local("sum", sum)
        cell.Value <- sum
        sum
    let first = add 1
    Above.Local("first", first)
    let second = List.fold (fun state n -> add n + state) 0 [ 1; 2 ]
    Above.Local("second", second)
    let rec factorial n = if n <= 1L then 1L else n * factorial (n - 1L)
    let product = factorial 10L
    Above.Local("product", product)

let failing (code: int) =
    try
        try
            let message = string code
            Above.Local("message", message)
            if code > 0 then
                failwith message
            0
        with
        | Failure text when text = "1" ->
            let result = 100
            Above.Local("result", result)
            result
        | problem ->
            let name = problem.GetType().Name
            Above.Local("name", name)
            -1
    finally
        counter <- counter + code

let numbers (count: int) =
    seq {
        for i in 1..count do
            let square = i * i
            Above.Local("square", square)
            yield square
    }

let asynchronous (count: int) =
    task {
        let sum = count + 1
        Above.Local("sum", sum)
        do! Task.Yield()
        let text = string sum
        Above.Local("text", text)
#if DEBUG // no state machine then, but closures
        return text
#else
        Oracle.Result(text); return text
#endif
    }

let pair (count: int) =
    task {
        let sum = count + 1
        Above.Local("sum", sum)
#if DEBUG
        return struct (sum, "pair")
#else
        Oracle.Result(struct (sum, "pair")); return struct (sum, "pair")
#endif
    }

let echo (value: 'T) =
    task {
        do! Task.Yield()
#if DEBUG
        return value
#else
        Oracle.Result(value); return value
#endif
    }

let older (count: int) =
    async {
        let start = count * 2
        Above.Local("start", start)
        do! Async.Sleep 1
        let result = start + 1
        Above.Local("result", result)
        return result
    }

let streams () =
    let total = Seq.sum (numbers 3)
    Above.Local("total", total)
    let text = (asynchronous 3).GetAwaiter().GetResult()
    Above.Local("text", text)
    (pair 3).GetAwaiter().GetResult() |> ignore
    (echo 5L).GetAwaiter().GetResult() |> ignore
    (echo "echo").GetAwaiter().GetResult() |> ignore
    let result = Async.RunSynchronously(older 4)
    Above.Local("result", result)

[<MethodImpl(MethodImplOptions.NoInlining)>]
let generic<'T> (value: 'T) =
    let copy = value
    Above.Local("copy", copy)
    let array = Array.create 1 value
    Above.Local("array", array)
    array[0] <- Unchecked.defaultof<'T>
    Above.Item("array[0]", array[0])
    copy

[<EntryPoint>]
let main _ =
    scalars ()
    texts ()
    data ()
    List.iter matching [ Circle 2.0; Box(3, 4); Nothing ]
    arrays ()
    references ()
    objects ()
    closures ()
    let codes = List.map failing [ 0; 1; 2 ]
    Above.Local("codes", codes)
    streams ()
    generic 5 |> ignore
    generic "text" |> ignore
    generic { First = 1; Second = "s" } |> ignore
    Oracle.Write()
    Console.WriteLine "values: success"
    0

/// Records, tuples, arrays, units of measure, mutable places and references to them.
module FeaturesFSharp.Data

open System

[<Measure>]
type metre

type Person = { Name: string; Age: int }

[<Struct>]
type Size = { Width: int; mutable Height: int }

let records () =
    let ann = { Name = "Ann"; Age = 30 }
    let older = { ann with Age = ann.Age + 1 }
    let equal = ann = older
    let mutable size = { Width = 1; Height = 2 }
    size.Height <- 5
    printfn "%s %d %b %d" older.Name older.Age equal size.Height

let tuples () =
    let pair = (1, "one")
    let number, text = pair
    let struct (first, second) = struct (number + 1, text + "!")
    printfn "%d %s" first second

let arrays () =
    let numbers = [| 1; 2; 3 |]
    numbers[1] <- 20
    let grid = Array2D.zeroCreate<int> 2 2
    grid[1, 0] <- numbers[1]
    let mutable sum = 0

    for number in numbers do
        sum <- sum + number

    printfn "%d %d" sum grid[1, 0]

let measures () =
    let length = 3.0<metre>
    let area = length * length
    printfn "%.1f" (float area)

let set (target: byref<int>) value = target <- value

let references () =
    let mutable number = 1
    set &number 5
    let reference = &number
    reference <- reference + 1
    let parsed, value = Int32.TryParse "7"
    let span = Span [| 1; 2 |]
    span[0] <- number
    printfn "%d %b %d %d" number parsed value span[0]

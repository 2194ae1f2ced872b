/// Classes, interfaces, object expressions, extensions, generics, statics.
module FeaturesFSharp.Objects

type IGreeter =
    abstract Greet: string -> string

type Counter(start: int) =
    let mutable count = start
    static let mutable made = 0
    do made <- made + 1

    member val Label = "" with get, set
    member _.Count = count
    static member Made = made

    member _.Add(number: int) =
        count <- count + number
        count

    interface IGreeter with
        member _.Greet name = sprintf "%s %d" name count

type System.String with

    member text.Twice = text + text

let classes () =
    let counter = Counter 10
    let count = counter.Add 5
    counter.Label <- "label"
    let greeting = (counter :> IGreeter).Greet "hello"
    printfn "%d %s %s %d" count counter.Label greeting Counter.Made

let objectExpressions () =
    let name = "object"

    let greeter =
        { new IGreeter with
            member _.Greet text = text + name }

    let text = greeter.Greet "an "
    printfn "%s" text.Twice

type Tree<'T> =
    | Leaf
    | Node of Tree<'T> * 'T * Tree<'T>

let rec insert value tree =
    match tree with
    | Leaf -> Node(Leaf, value, Leaf)
    | Node(left, own, right) when value < own -> Node(insert value left, own, right)
    | Node(left, own, right) -> Node(left, own, insert value right)

let rec toList tree =
    match tree with
    | Leaf -> []
    | Node(left, own, right) -> toList left @ [ own ] @ toList right

let generics () =
    let numbers = Leaf |> insert 2 |> insert 1
    let words = Leaf |> insert "b" |> insert "a"
    printfn "%A %A" (toList numbers) (toList words)

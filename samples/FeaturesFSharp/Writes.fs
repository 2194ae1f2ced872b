/// What an assignment changes: items of arrays with several dimensions, fields of fields, items of collections.
module FeaturesFSharp.Writes

open System.Collections.Generic

[<Struct>]
type Inner =
    [<DefaultValue>]
    val mutable A: int

[<Struct>]
type Outer =
    [<DefaultValue>]
    val mutable In: Inner

let private grids () =
    let grid = Array2D.zeroCreate<int> 3 4
    grid[1, 2] <- 4
    let cube = Array3D.zeroCreate<string> 2 3 4
    cube[1, 2, 3] <- "corner"
    printfn "%d %s" grid[1, 2] cube[1, 2, 3]

let private paths () =
    let mutable outer = Outer()
    outer.In.A <- 9
    let row = Array.zeroCreate<Outer> 2
    row[1].In.A <- 12
    printfn "%d %d" outer.In.A row[1].In.A

let private collections () =
    let list = List<string>()
    list.Add "a"
    list[0] <- "b"
    let ages = Dictionary<string, int>()
    ages["Ann"] <- 30
    ages.Add("Bob", 20)
    let stack = Stack<int>()
    stack.Push 1
    printfn "%s %d %d" list[0] ages["Ann"] stack.Count

let run () =
    grids ()
    paths ()
    collections ()

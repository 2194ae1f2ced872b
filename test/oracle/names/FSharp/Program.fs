// Compiler-generated code of F# for closures, sequences and tasks.
module Shop.Program

open System
open System.Threading.Tasks

let add (x: int) (y: int) = x + y

let rec loop n = if n = 0 then 0 else loop (n - 1)

let work (x: int) =
    task {
        do! Task.Delay 1
        return x + 1
    }

let later x =
    async {
        do! Async.Sleep 1
        return x
    }

let items n =
    seq {
        for i in 0..n do
            yield i
    }

let shift (by: int) = List.map (fun x -> x + by) [ 1; 2; 3 ]

let nested (k: int) =
    List.map (fun x -> List.map (fun y -> x + y + k) [ 1 ]) [ 1; 2 ]

type Cart(start: int) =
    let mutable total = start
    member _.Later(name: string) = fun () -> name.Length + total

    member _.Total
        with get () = total
        and set value = total <- value

    interface IDisposable with
        member _.Dispose() = ()

let closing (text: string) =
    { new IDisposable with
        member _.Dispose() = Console.Write text }

let (|Even|Odd|) n = if n % 2 = 0 then Even else Odd

// F# allows any character in a name, so that it may look like a type argument list, a parameter list or another compiler's
// code.
let ``</script><img src=x>`` (x: int) = x + 1
let ``less <than> more`` (x: int) = x + 2
let ``x<y`` (x: int) = x + 3
let ``a->b`` (x: int) = x + 4
let ``tick`s name`` (x: int) = x + 5
let ``<T>`` (x: int) = x + 6
let ``<T>f`` (x: int) = x + 7
let ``<List>by name`` (x: int) = x + 8
let ``gives 3 (three)`` (x: int) = x + 9
let ``a <closure>`` (k: int) = List.map (fun x -> x + k) [ 1 ]

type ``Odd<Type>``(``<value>``: int) =
    member _.``m <1>``(x: ``Odd<Type>``) = x.``p<q>`` + ``<value>``
    member _.``p<q>`` = 12

[<EntryPoint>]
let main arguments =
    use cart = new Cart(add 1 2)
    (work (loop arguments.Length)).Result

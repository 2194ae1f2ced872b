/// Functions as values: closures, partial application, pipelines, tail calls, inlining. Lines of F# do not end here:   .
module FeaturesFSharp.Functions

let closures () =
    let mutable count = 0
    let offset = 10
    let add n = n + offset
    count <- add 1
    let cell = ref 0
    let increment () = cell.Value <- cell.Value + 1
    increment ()
    increment ()
    printfn "%d %d" count cell.Value

let multiply left right = left * right

let partial () =
    let twice = multiply 2
    let both = twice >> multiply 5
    let result = both 3
    printfn "%d" result

let pipelines () =
    let result = [ 1..4 ] |> List.filter (fun n -> n % 2 = 0) |> List.map (fun n -> n * n) |> List.sum
    printfn "%d" result

let tailCalls () =
    let rec loop n sum = if n = 0 then sum else loop (n - 1) (sum + n)
    let rec isEven n = if n = 0 then true else isOdd (n - 1)
    and isOdd n = if n = 0 then false else isEven (n - 1)
    let total = loop 4 0
    let even = isEven 3
    printfn "%d %b" total even

let inline largest left right = if left > right then left else right

let inlined () =
    let number = largest 1 2
    let text = largest "a" "b"
    printfn "%d %s" number text

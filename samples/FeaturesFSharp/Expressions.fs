/// Computation expressions, exceptions, resources, loops.
module FeaturesFSharp.Expressions

open System
open System.Threading.Tasks

exception Refused of code: int

let exceptions () =
    let attempt code =
        try
            try
                if code = 1 then raise (Refused 5)
                if code = 2 then failwith "failed"
                "none"
            with
            | Refused code when code > 3 -> sprintf "refused %d" code
            | Failure message -> message
        finally
            Console.Write(code)

    let first = attempt 0
    let second = attempt 1
    let third = attempt 2
    printfn " %s %s %s" first second third

let sequences () =
    let squares =
        seq {
            for i in 1..2 do
                let square = i * i
                yield square

            yield! [ 10 ]
        }

    let sum = Seq.sum squares
    printfn "%d" sum

let tasks () =
    let add left right =
        task {
            do! Task.CompletedTask
            let sum = left + right
            return sum
        }

    let result = (add 1 2).Result
    printfn "%d" result

let asyncs () =
    let later number =
        async {
            let twice = number * 2
            return twice + 1
        }

    let result = Async.RunSynchronously(later 4)
    printfn "%d" result

type MaybeBuilder() =
    member _.Bind(value, next) = Option.bind next value
    member _.Return value = Some value

let maybe = MaybeBuilder()

let builders () =
    let divide left right = if right = 0 then None else Some(left / right)

    let result =
        maybe {
            let! first = divide 12 3
            let! second = divide first 0
            return second
        }

    printfn "%A" result

let resources () =
    let mutable log = ""

    let work () =
        use reader = new IO.StringReader("one\ntwo")
        let mutable line = reader.ReadLine()
        let mutable count = 0

        while not (isNull line) do
            count <- count + line.Length
            line <- reader.ReadLine()

        count

    let count = work ()

    for i in 2..-1..1 do
        log <- log + string i

    printfn "%d %s" count log

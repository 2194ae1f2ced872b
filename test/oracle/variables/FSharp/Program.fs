// Every way in which the F# compiler keeps a variable of the source somewhere else.
module Program

open System.Threading.Tasks

type Person = { Name: string; mutable Age: int }

type Shape =
    | Circle of radius: int * name: string
    | Named of string

let closures (argument: int) =
    let x = argument + 1
    let mutable changing = 3
    changing <- changing + x
    let cell = ref 5
    let add y = x + y + argument
    let curried = fun z -> (let inner = z + x in fun w -> inner + w + cell.Value)
    add 3 + curried 1 2 + changing

let rec loop n sum = if n = 0 then sum else loop (n - 1) (sum + n)

let inTask (argument: int) = task {
    let local = argument + 1
    do! Task.Delay 1
    let! value = Task.FromResult(local)
    let mutable changing = value
    for i in 1 .. 2 do
        let product = i * changing
        do! Task.Yield()
        changing <- changing + product
    let add = fun t -> t + local + value
    return add 3 + changing }

let inAsync (argument: int) = async {
    let local = argument + 1
    let! value = async { return local + argument }
    return value + local }

let sequence (count: int) = seq {
    for i in 0 .. count do
        let square = i * i
        yield square
        yield square + count }

let matched shape =
    match shape with
    | Circle(radius, name) when radius > 2 -> radius + name.Length
    | Circle(other, _) -> other
    | Named name -> name.Length

let piped (numbers: int list) =
    numbers
    |> List.map (fun number -> number + 1)
    |> List.sum

[<EntryPoint>]
let main arguments =
    let pair = (1, "x")
    let (left, right) = pair
    let list = [ for i in 1 .. 3 do yield i * left ]
    use stream = new System.IO.MemoryStream()
    let ``spaced name`` = Values.run () + Values.twice (fun z -> z + 1) 3
    let person = { Name = right; Age = ``spaced name`` }
    person.Age <- closures 3 + loop 3 0 + (inTask 3).Result + Async.RunSynchronously(inAsync 2)
    person.Age + matched (Circle(3, right)) + Seq.length (sequence 2) + piped list + int stream.Length

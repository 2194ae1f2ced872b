module Values

let mutable counter = 3
let top = System.Environment.ProcessId

type Thing(number: int) as self =
    let cache = System.Collections.Generic.Dictionary<int, int>()
    static let shared = 5
    member _.Number = number
    member this.Make() = let local = number in (fun y -> y + local + this.Number + self.Number + shared + cache.Count)
    member val Flag = false with get, set

let run () =
    let x = 1
    let x = x + counter
    let mutable changed = x
    let add y = (fun () -> y + x + top)
    (add 3) () + (Thing(2).Make()) 4 + changed

let inline twice ([<InlineIfLambda>] f) x =
    let once = f x
    f once

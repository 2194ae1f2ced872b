/// A `do!` that ends a loop is one statement, although the compiler gives its range to two pieces of code.
module FeaturesFSharp.Waits

open System.Threading.Tasks

let waits () =
    let waitTask () =
        task {
            for _ in 1..2 do
                do! Task.CompletedTask
        }

    let waitAsync () =
        async {
            let mutable count = 0

            while count < 2 do
                count <- count + 1
                do! async { return () }
        }

    (waitTask ()).Wait()
    waitAsync () |> Async.RunSynchronously

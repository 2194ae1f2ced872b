/// The oracle, as in Count/Count.cs: without ORACLE the compiler drops every call.
namespace Counting

open System
open System.Collections.Concurrent
open System.Diagnostics
open System.IO
open System.Text
open System.Threading

[<AbstractClass; Sealed>]
type Count private () =
    static let rows = ConcurrentDictionary<string, int64[]>()

    static let add (name: string) index (times: int64) =
        let row = rows.GetOrAdd(name, (fun _ -> Array.zeroCreate<int64> 3))
        Interlocked.Add(&row[index], times) |> ignore

    [<Conditional("ORACLE")>]
    static member Hit(name: string) : unit = add name 0 1L

    [<Conditional("ORACLE")>]
    static member Add(name: string, times: int) : unit = add name 0 (int64 times)

    [<Conditional("ORACLE")>]
    static member Thrown(name: string) : unit = add name 1 1L

    /// Before a `tail.` call out of which an exception will come: counted where the caller is seen until the call is over.
    [<Conditional("LEFT")>]
    static member Left(name: string) : unit = add name 1 1L

    [<Conditional("ORACLE")>]
    static member Write() : unit =
        let path = Environment.GetEnvironmentVariable "ORACLE_OUT"

        if not (isNull path) then
            let lines =
                rows
                |> Seq.sortBy (fun row -> row.Key)
                |> Seq.map (fun row -> sprintf "\"%s\": [%d, %d, %d]" row.Key row.Value[0] row.Value[1] row.Value[2])

            File.WriteAllText(path, "{\n" + String.Join(",\n", lines) + "\n}\n", UTF8Encoding false)

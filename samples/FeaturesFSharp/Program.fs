/// One small part for each feature that F# has its own way with: `FeaturesFSharp PART`, or `FeaturesFSharp all`.
module FeaturesFSharp.Program

open System

let parts =
    [ "unions", Matching.unions
      "activepatterns", Matching.activePatterns
      "lists", Matching.lists
      "options", Matching.options
      "closures", Functions.closures
      "partial", Functions.partial
      "pipelines", Functions.pipelines
      "tailcalls", Functions.tailCalls
      "inlined", Functions.inlined
      "records", Data.records
      "tuples", Data.tuples
      "arrays", Data.arrays
      "measures", Data.measures
      "references", Data.references
      "classes", Objects.classes
      "objectexpressions", Objects.objectExpressions
      "generics", Objects.generics
      "exceptions", Expressions.exceptions
      "sequences", Expressions.sequences
      "tasks", Expressions.tasks
      "asyncs", Expressions.asyncs
      "encodings", Encodings.run
      "builders", Expressions.builders
      "resources", Expressions.resources
      "waits", Waits.waits
      "writes", Writes.run ]

[<EntryPoint>]
let main arguments =
    let wanted = if arguments.Length > 0 then arguments[0] else "all"

    if wanted = "list" then
        parts |> List.map fst |> List.sort |> List.iter Console.WriteLine

    let chosen = parts |> List.filter (fun (name, _) -> wanted = "all" || wanted = name)
    chosen |> List.iter (fun (_, run) -> run ())

    if chosen.IsEmpty && wanted <> "list" then
        Console.Error.WriteLine $"no part named {wanted}"
        1
    else
        Console.WriteLine $"{wanted}: success"
        0

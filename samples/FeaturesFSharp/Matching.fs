/// Unions and patterns.
module FeaturesFSharp.Matching

type Shape =
    | Circle of radius: int
    | Rectangle of width: int * height: int
    | Nothing

let area shape =
    match shape with
    | Circle radius -> 3 * radius * radius
    | Rectangle(width, height) when width = height ->
        let side = width
        side * side
    | Rectangle(width, height) -> width * height
    | Nothing -> 0

let unions () =
    let circle = area (Circle 2)
    let square = area (Rectangle(3, 3))
    let nothing = area Nothing
    printfn "%d %d %d" circle square nothing

let (|Even|Odd|) number = if number % 2 = 0 then Even(number / 2) else Odd

let (|Prefix|_|) (start: string) (text: string) =
    if text.StartsWith start then Some(text.Substring start.Length) else None

let activePatterns () =
    let half =
        match 10 with
        | Even half -> half
        | Odd -> -1

    let rest =
        match "prefix-rest" with
        | Prefix "prefix-" rest -> rest
        | _ -> "none"

    printfn "%d %s" half rest

let lists () =
    let rec sum numbers =
        match numbers with
        | [] -> 0
        | first :: rest -> first + sum rest

    let total = sum [ 1; 2; 3 ]
    printfn "%d" total

let options () =
    let found = List.tryFind (fun n -> n > 2) [ 1; 2; 3 ]
    let missing = List.tryFind (fun n -> n > 3) [ 1; 2; 3 ]
    let value = Option.defaultValue 0 found
    let other = missing |> Option.map (fun n -> n * 2) |> Option.defaultValue -1
    printfn "%d %d" value other

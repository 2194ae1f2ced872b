' One small part for each feature that Visual Basic has its own way with: `FeaturesVisualBasic PART`, or `... all`.
Imports System
Imports System.Collections.Generic

Public Module Program
    Private ReadOnly Parts As New SortedDictionary(Of String, Action)(StringComparer.Ordinal) From {
        {"anonymous", AddressOf Values.Anonymous}, {"arrays", AddressOf Values.Arrays}, {"asyncs", AddressOf Running.Asyncs},
        {"byref", AddressOf Calling.References}, {"defaults", AddressOf Calling.Defaults}, {"encodings", AddressOf Encodings.Run}, {"errors", AddressOf Failing.Errors},
        {"events", AddressOf Objects.Events}, {"filters", AddressOf Failing.Filters}, {"generics", AddressOf Objects.Generics},
        {"iterators", AddressOf Running.Iterators}, {"lambdas", AddressOf Calling.Lambdas}, {"late", AddressOf Calling.Late},
        {"linq", AddressOf Running.Linq}, {"loops", AddressOf Running.Loops}, {"nullables", AddressOf Values.Nullables},
        {"operators", AddressOf Objects.Operators}, {"properties", AddressOf Objects.Properties},
        {"selects", AddressOf Running.Selects}, {"statics", AddressOf Calling.Statics}, {"strings", AddressOf Values.Strings},
        {"structures", AddressOf Values.Structures}, {"usings", AddressOf Failing.Usings}, {"withs", AddressOf Values.Withs}, {"writes", AddressOf Writes.Run}}

    Public Function Main(arguments As String()) As Integer
        Dim wanted = If(arguments.Length > 0, arguments(0), "all")
        If wanted = "list" Then
            Console.WriteLine(String.Join(vbLf, Parts.Keys))
        ElseIf wanted = "all" Then
            For Each part In Parts.Values
                part()
            Next
        ElseIf Parts.ContainsKey(wanted) Then
            Parts(wanted)()
        Else
            Console.Error.WriteLine($"no part named {wanted}")
            Return 1
        End If
        Console.WriteLine($"{wanted}: success")
        Return 0
    End Function
End Module

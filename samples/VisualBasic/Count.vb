' The oracle, as in Count/Count.cs: without ORACLE the compiler drops every call.
Imports System.Collections.Concurrent
Imports System.IO
Imports System.Linq
Imports System.Threading

Friend NotInheritable Class Count
    Private Shared ReadOnly Rows As New ConcurrentDictionary(Of String, Long())

    <Conditional("ORACLE")>
    Public Shared Sub Hit(name As String)
        Add(name, 0, 1)
    End Sub

    <Conditional("ORACLE")>
    Public Shared Sub Made(name As String, times As Integer)
        Add(name, 0, times)
    End Sub

    <Conditional("ORACLE")>
    Public Shared Sub Thrown(name As String)
        Add(name, 1, 1)
    End Sub

    Private Shared Sub Add(name As String, index As Integer, times As Integer)
        Dim row = Rows.GetOrAdd(name, Function(key) New Long(2) {})
        Interlocked.Add(row(index), times)
    End Sub

    <Conditional("ORACLE")>
    Public Shared Sub Write()
        Dim path = Environment.GetEnvironmentVariable("ORACLE_OUT")
        If path Is Nothing Then Return
        Dim lines = Rows.OrderBy(Function(row) row.Key).
            Select(Function(row) $"""{row.Key}"": [{row.Value(0)}, {row.Value(1)}, {row.Value(2)}]")
        File.WriteAllText(path, "{" & vbLf & String.Join("," & vbLf, lines) & vbLf & "}" & vbLf)
    End Sub
End Class

' Every way in which the VB compiler keeps a variable of the source somewhere else.
Imports System
Imports System.Collections.Generic
Imports System.Linq
Imports System.Threading.Tasks

Class Holder
    Public Property Automatic As Integer = 3
    Public Event Happened As Action
    Public WithEvents Other As Holder
    Private _plain As Integer = 2
    Public Function Raise(value As Integer) As Func(Of Integer)
        RaiseEvent Happened()
        Return Function() value + _plain
    End Function
    Private Sub Handler() Handles Other.Happened
    End Sub
    Public Async Function Later(value As Integer) As Task(Of Integer)
        Await Task.Yield()
        Return value + _plain
    End Function
End Class

Module Program
    Async Function Hoisted(parameter As Integer, text As String) As Task(Of Integer)
        Dim local = parameter + 1
        Await Task.Delay(1)
        For i = 0 To 1
            Dim inner = i * local
            Await Task.Yield()
            local += inner
        Next
        For Each item In {1, 2}
            Await Task.Yield()
            local += item
        Next
        Dim captures = Function(z As Integer) z + local + parameter
        Await Task.Yield()
        Using stream = New IO.MemoryStream()
            Await Task.Yield()
        End Using
        Return captures(3) + text.Length
    End Function

    Iterator Function Items(count As Integer, name As String) As IEnumerable(Of Integer)
        For i = 0 To count - 1
            Dim square = i * i
            Yield square + name.Length
        Next
    End Function

    Function Closures(argument As Integer) As Integer
        Dim outer = argument
        Static calls As Integer = 0
        calls += 1
        Dim first = Function()
                        Dim middle = outer + 1
                        Dim second = Function() outer + middle + argument
                        Return second()
                    End Function
        For i = 0 To 2
            Dim each_ = i
            Dim third = Function() each_ + outer
            outer += third()
        Next
        Closures = first() + calls
        Select Case outer
            Case 1 : Console.WriteLine("one")
        End Select
    End Function

    Function Constants() As String
        Const yes As Boolean = True
        Const number As Integer = 42
        Const text As String = "const"
        Const money As Decimal = 1.5D
        Const day As Date = #1/2/2020#
        Const letter As Char = "x"c
        Return yes & number & text & money & day & letter
    End Function

    Sub Main()
        Console.WriteLine(Hoisted(3, "x").Result)
        For Each value In Items(3, "n")
            Console.WriteLine(value)
        Next
        Console.WriteLine(Closures(4) & Constants())
        Dim anonymous = New With {.First = 1, Key .Second = "x"}
        Dim query = From n In {1, 2, 3} Let doubled = n * 2 Where doubled > 2 Select n, doubled
        Console.WriteLine(query.Count() & anonymous.First)
        Dim holder As New Holder With {.Automatic = 4}
        With New Holder()
            .Automatic = holder.Raise(3)()
        End With
        Dim pair = (left:=1, right:="x")
        Console.WriteLine(holder.Later(pair.left).Result)
        SyncLock holder
            Console.WriteLine(holder.Automatic)
        End SyncLock
        Try
            Throw New Exception("x")
        Catch exception As Exception When exception.Message = "x"
            Console.WriteLine(exception.Message)
        End Try
    End Sub
End Module

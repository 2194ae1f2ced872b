' Definitions as Visual Basic makes them, each with the oracle's call after it (see Oracle/Oracle.cs): Dim and its kin, static
' locals, ByRef copied back, With, ReDim, Mid, On Error, loops, lambdas, iterators, asynchronous functions.
Imports System
Imports System.Collections.Generic
Imports System.Linq
Imports System.Threading.Tasks

Public Enum Colour
    Red
    Blue = 10
End Enum

<Flags>
Public Enum Rights As Byte
    None = 0
    Read = 1
    Write = 2
End Enum

Public Structure Point
    Public X As Integer
    Public Y As Integer

    Public Sub New(first As Integer, second As Integer)
        X = first : Oracle.Field("X", X)
        Y = second : Oracle.Field("Y", Y)
    End Sub
End Structure

Public Class Account
    Private balance As Decimal
    Private Shared count As Integer

    Public Property Owner As String

    Public Property Limit As Integer
        Get
            Return CInt(balance) * 2
        End Get
        Set(value As Integer)
            balance = value : Oracle.Field("balance", balance)
        End Set
    End Property

    Public Sub Deposit(amount As Decimal)
        balance += amount : Oracle.Field("balance", balance)
        count += 1 : Oracle.Field("count", count)
    End Sub
End Class

Public Module Program
    Private total As Long
    Private title As String = "at first"

    Public Function Main() As Integer
        Scalars()
        Texts()
        Structures()
        Arrays()
        Loops()
        References()
        Objects()
        Statics() : Statics() : Statics()
        Errors()
        Handlers(0) : Handlers(1)
        Lambdas()
        Streams()
        Echo(5) : Echo("text") : Echo(New Point(7, 8))
        Oracle.Write()
        Console.WriteLine("values: success")
        Return 0
    End Function

    Private Sub Scalars()
        Dim truth As Boolean = True : Oracle.Local("truth", truth)
        Dim letter As Char = "x"c : Oracle.Local("letter", letter)
        Dim small As Byte = 255 : Oracle.Local("small", small)
        Dim tiny As SByte = -128 : Oracle.Local("tiny", tiny)
        Dim medium As Short = Short.MinValue : Oracle.Local("medium", medium)
        Dim number As Integer = 5 : Oracle.Local("number", number)
        number += 10 : Oracle.Local("number", number)
        number \= 4 : Oracle.Local("number", number)
        number <<= 2 : Oracle.Local("number", number)
        Dim large As ULong = ULong.MaxValue : Oracle.Local("large", large)
        Dim real As Double = 7 / 2 : Oracle.Local("real", real)
        Dim fraction As Single = 0.1F : Oracle.Local("fraction", fraction)
        Dim money As Decimal = 12.5D : Oracle.Local("money", money)
        Dim day As Date = #3/4/2026 5:06:07 PM# : Oracle.Local("day", day)
        Dim colour As Colour = Colour.Blue : Oracle.Local("colour", colour)
        Dim allowed As Rights = Rights.Read Or Rights.Write : Oracle.Local("allowed", allowed)
        Dim perhaps As Integer? = Nothing : Oracle.Local("perhaps", perhaps)
        perhaps = 3 : Oracle.Local("perhaps", perhaps)
        perhaps += 1 : Oracle.Local("perhaps", perhaps)
        Dim usual As Integer ' nothing is stored: locals are empty at first
        Dim first As Integer = 1, second As Integer = 2 : Oracle.Local("first", first) : Oracle.Local("second", second)
        Dim rounded As Integer = CInt(2.5) : Oracle.Local("rounded", rounded)
        Dim either As Boolean = If(perhaps > 3, True, False) : Oracle.Local("either", either)
        total += number : Oracle.Field("total", total)
    End Sub

    Private Sub Texts()
        Dim nothingAtAll As String = Nothing : Oracle.Local("nothingAtAll", nothingAtAll)
        Dim text As String = "a" : Oracle.Local("text", text)
        text &= "b" : Oracle.Local("text", text)
        text = text & vbCrLf & 5 : Oracle.Local("text", text)
        Mid(text, 1, 1) = "Z" : Oracle.Local("text", text)
        Dim joined As String = $"{text.Length}:{title}" : Oracle.Local("joined", joined)
        title = joined : Oracle.Field("title", title)
        Dim empty As String = "" : Oracle.Local("empty", empty)
        Dim equal As Boolean = empty = nothingAtAll : Oracle.Local("equal", equal)
    End Sub

    Private Sub Structures()
        Dim point As New Point(1, 2) : Oracle.Local("point", point)
        Dim usual As Point
        point.X = 5 : Oracle.Field("X", point.X)
        With point
            .Y = 6 : Oracle.Field("Y", .Y)
        End With
        usual = point : Oracle.Local("usual", usual)
        point = Nothing : Oracle.Local("point", point)
        Dim tuple As (Count As Integer, Name As String) = (1, "one") : Oracle.Tuple("tuple", tuple, "Count Name")
        tuple.Name = "two" : Oracle.Field("Name", tuple.Name)
    End Sub

    Private Sub Arrays()
        Dim numbers(2) As Integer : Oracle.Local("numbers", numbers)
        numbers(1) = 5 : Oracle.Item("numbers[1]", numbers(1))
        numbers(1) += 5 : Oracle.Item("numbers[1]", numbers(1))
        ReDim Preserve numbers(4) : Oracle.Local("numbers", numbers)
        Dim kept As Integer = numbers(1) : Oracle.Local("kept", kept)
        Dim words = {"a", "b"} : Oracle.Local("words", words)
        words(0) = Nothing : Oracle.Item("words[0]", words(0))
        Dim grid(1, 1) As Double : Oracle.Local("grid", grid)
        grid(1, 0) = 1.5 : Oracle.Item("grid[1,0]", grid(1, 0))
        Dim points(0) As Point : Oracle.Local("points", points)
        points(0).Y = 3 : Oracle.Field("Y", points(0).Y)
        points(0) = New Point(4, 5) : Oracle.Item("points[0]", points(0))
        Erase numbers : Oracle.Local("numbers", numbers)
    End Sub

    Private Sub Loops()
        Dim sum As Integer = 0 : Oracle.Local("sum", sum)
        For i = 1 To 5 Step 2
            sum += i : Oracle.Local("sum", sum)
        Next
        For Each word In New String() {"x", "y"}
            Dim seen As String = word & "!" : Oracle.Local("seen", seen)
        Next
        Do While sum > 5
            sum -= 3 : Oracle.Local("sum", sum)
        Loop
        Do
            sum += 1 : Oracle.Local("sum", sum)
        Loop Until sum >= 8
        Select Case sum
            Case 1 To 5
                sum = 0 : Oracle.Local("sum", sum)
            Case Is > 5
                sum = 100 : Oracle.Local("sum", sum)
        End Select
        Using writer As New IO.StringWriter()
            writer.Write(sum)
            Dim written As String = writer.ToString() : Oracle.Local("written", written)
        End Using
    End Sub

    Private Sub SetTo(ByRef target As Integer, value As Integer)
        target = value : Oracle.Through("target", target)
        value = -1 : Oracle.Local("value", value)
    End Sub

    Private Sub References()
        Dim number As Integer = 1 : Oracle.Local("number", number)
        SetTo(number, 20) : Oracle.Local("number", number)
        Dim items = {1, 2} : Oracle.Local("items", items)
        SetTo(items(1), 30) : Oracle.Item("items[1]", items(1))
        ' A property by reference: set from a copy after the call.
        Dim account As New Account() : Oracle.Local("account", account)
        SetTo(account.Limit, 40)
        Dim limit As Integer = account.Limit : Oracle.Local("limit", limit)
        Dim parsed As Integer = 0 : Oracle.Local("parsed", parsed)
        Dim found As Boolean = Integer.TryParse("12", parsed) : Oracle.Local("parsed", parsed) : Oracle.Local("found", found)
    End Sub

    Private Sub Objects()
        Dim account As New Account With {.Owner = "Ann"} : Oracle.Local("account", account)
        account.Deposit(1.5D)
        account.Deposit(2)
        Dim owner As String = account?.Owner : Oracle.Local("owner", owner)
        Dim boxed As Object = 5 : Oracle.Local("boxed", boxed)
        Dim thing As Object = New Object() : Oracle.Local("thing", thing)
        Dim same As Boolean = thing Is boxed : Oracle.Local("same", same)
        Dim cast As String = TryCast(boxed, String) : Oracle.Local("cast", cast)
        Dim anonymous = New With {.Name = "n", .Count = 3} : Oracle.Local("anonymous", anonymous)
    End Sub

    ' A static local outlives its activation: a field.
    Private Sub Statics()
        Static calls As Integer = 10
        calls += 1 : Oracle.Local("calls", calls)
        Static last As String
        last = If(last, "none") & calls : Oracle.Local("last", last)
    End Sub

    Private Sub Errors()
        On Error Resume Next
        Dim number As Integer = 1 : Oracle.Local("number", number)
        number = Integer.Parse("x")
        number += 1 : Oracle.Local("number", number)
        Dim code As Integer = Err.Number : Oracle.Local("code", code)
    End Sub

    Private Sub Handlers(code As Integer)
        Dim state As Integer = 0 : Oracle.Local("state", state)
        Try
            state = 1 : Oracle.Local("state", state)
            Throw New InvalidOperationException(code.ToString())
        Catch problem As InvalidOperationException When problem.Message = "0"
            state = 2 : Oracle.Local("state", state)
        Catch problem As Exception
            Dim name As String = problem.GetType().Name : Oracle.Local("name", name)
        Finally
            state += 10 : Oracle.Local("state", state)
        End Try
    End Sub

    Private Sub Lambdas()
        Dim count As Integer = 1 : Oracle.Local("count", count)
        Dim add = Sub(by As Integer)
                      count += by : Oracle.Local("count", count)
                  End Sub
        add(5)
        add(6)
        count = 0 : Oracle.Local("count", count)
        Dim twice As Func(Of Integer, Integer) = Function(n) n * 2 : Oracle.Local("twice", twice)
        Dim result As Integer = twice(21) : Oracle.Local("result", result)
        Dim squares = (From n In {1, 2, 3} Where n > 1 Select n * n).ToList() : Oracle.Local("squares", squares)
        Dim last As Integer = squares(1) : Oracle.Local("last", last)
    End Sub

    Private Iterator Function Numbers(count As Integer) As IEnumerable(Of Integer)
        Dim before As Integer = 0 : Oracle.Local("before", before)
        For i = 1 To count
            Dim between As Integer = before + i : Oracle.Local("between", between)
            Yield between
            before = between : Oracle.Local("before", before)
        Next
    End Function

    Private Async Function Later(count As Integer) As Task(Of String)
        Dim text As String = "" : Oracle.Local("text", text)
        For i = 1 To count
            Await Task.Yield()
            text &= i : Oracle.Local("text", text)
        Next
        Oracle.Below.Result(text) : Return text
    End Function

    Private Sub Streams()
        Dim sum As Integer = 0 : Oracle.Local("sum", sum)
        For Each number In Numbers(3)
            sum += number : Oracle.Local("sum", sum)
        Next
        Dim text As String = Later(2).GetAwaiter().GetResult() : Oracle.Local("text", text)
    End Sub

    Private Function Echo(Of T)(value As T) As T
        Dim copy As T = value : Oracle.Local("copy", copy)
        Dim items(0) As T : Oracle.Local("items", items)
        items(0) = copy : Oracle.Item("items[0]", items(0))
        value = Nothing : Oracle.Local("value", value)
        Return copy
    End Function
End Module

' Ways through code: loops, Select, iterators, asynchronous functions, queries.
Imports System.Linq
Imports System.Threading.Tasks

Public Module Running
    Public Sub Loops()
        Dim sum = 0
        For i = 5 To 1 Step -2
            sum += i
        Next
        For Each letter In "ab"
            If letter = "a"c Then Continue For
            sum += Asc(letter)
        Next
        Do Until sum < 50
            sum \= 2
        Loop
        While True
            sum += 1
            If sum > 27 Then Exit While
        End While
        Console.WriteLine(sum)
    End Sub

    Private Function Name(number As Integer) As String
        Select Case number
            Case 1, 2
                Return "few"
            Case 3 To 9
                Return "some"
            Case Is > 9
                Return "many"
            Case Else
                Return "none"
        End Select
    End Function

    Public Sub Selects()
        Dim text = Name(2) & Name(5) & Name(10) & Name(0)
        Console.WriteLine(text)
    End Sub

    Private Iterator Function Squares(last As Integer) As IEnumerable(Of Integer)
        For i = 1 To last
            Yield i * i
        Next
    End Function

    Public Sub Iterators()
        Dim sum = 0
        For Each square In Squares(2)
            sum += square
        Next
        Console.WriteLine(sum)
    End Sub

    Private Async Function Add(left As Integer, right As Integer) As Task(Of Integer)
        Await Task.CompletedTask
        Dim sum = left + right
        Return sum
    End Function

    Public Sub Asyncs()
        Dim sum = Add(1, 2).Result
        Console.WriteLine(sum)
    End Sub

    Public Sub Linq()
        Dim numbers = {3, 1, 2}
        Dim sorted = From number In numbers Where number > 1 Order By number Select number * 10
        Dim first = sorted.First()
        Console.WriteLine(first)
    End Sub
End Module

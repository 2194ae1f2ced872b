' Failures: filters, On Error, Using.
Public Class Resource
    Implements IDisposable

    Public Shared Log As String = ""

    Public Sub Dispose() Implements IDisposable.Dispose
        Log &= "disposed"
    End Sub
End Class

Public Module Failing
    Private Function Attempt(code As Integer) As String
        Dim log = ""
        Try
            Throw New InvalidOperationException(code.ToString())
        Catch problem As InvalidOperationException When problem.Message = "1"
            log = "filtered"
        Catch problem As Exception
            log = "caught " & problem.Message
        Finally
            log &= "."
        End Try
        Return log
    End Function

    Public Sub Filters()
        Dim first = Attempt(1)
        Dim second = Attempt(2)
        Console.WriteLine($"{first} {second}")
    End Sub

    Public Sub Errors()
        On Error GoTo Handler
        Dim number = 1
        number = Integer.Parse("x")
        number += 10
        Console.WriteLine(number)
        Exit Sub
Handler:
        number += 100
        Resume Next
    End Sub

    Public Sub Usings()
        Using resource As New Resource()
            Resource.Log &= "used "
        End Using
        Console.WriteLine(Resource.Log)
    End Sub
End Module

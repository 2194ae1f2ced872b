' Async functions whose every logical call, run and wait is known: `LogicalVisualBasic PART THREADS [storm]`, as in ../CSharp.
Imports System
Imports System.Linq
Imports System.Threading.Tasks
Imports Outside

Module Program
    Private Async Function Leaf(turns As Integer) As Task(Of Integer)
        Dim frame = Oracle.EnterAsync()
        For i = 1 To turns
            Await Pump.Turn()
            frame.RanAbove()
        Next
        frame.End()
        Return turns
    End Function

    Private Function Forward(turns As Integer) As Task(Of Integer)
        Dim frame = Oracle.Enter()
        Dim started = Leaf(turns)
        frame.End()
        Return started
    End Function

    Private Async Function Middle(turns As Integer) As Task(Of Integer)
        Dim frame = Oracle.EnterAsync()
        Dim first = Await Leaf(turns)
        frame.RanAbove()
        Dim second = Await Forward(1)
        frame.RanAbove()
        Dim none = Await Leaf(0)
        frame.End()
        Return first + second + none
    End Function

    Private Async Function Failing() As Task
        Dim frame = Oracle.EnterAsync()
        Await Pump.Turn()
        frame.RanAbove()
        frame.Faults()
        Throw New InvalidOperationException()
    End Function

    Private Async Function Catching() As Task
        Dim frame = Oracle.EnterAsync()
        Try
            Await Failing()
        Catch problem As InvalidOperationException
            frame.RanAbove(2)
        End Try
        frame.End()
    End Function

    Private Async Sub Fire(done As TaskCompletionSource)
        Dim frame = Oracle.EnterAsync()
        Await Leaf(1)
        frame.RanAbove()
        done.SetResult()
        frame.End()
    End Sub

    Private Async Function Lambdas() As Task
        Dim frame = Oracle.EnterAsync()
        Dim lambda = Async Function(n As Integer)
                         Dim own = Oracle.EnterAsync("Lambdas.lambda#1")
                         Await Leaf(n)
                         own.RanAbove()
                         own.End()
                     End Function
        Await lambda(1)
        frame.RanAbove()
        Await Task.WhenAll(lambda(2), lambda(1), Leaf(3))
        frame.RanAbove()
        frame.End()
    End Function

    Private Async Function All() As Task
        Dim frame = Oracle.EnterAsync()
        For i = 1 To 50
            Await Middle(1 + i Mod 3)
            frame.RanAbove()
            Await Catching()
            frame.RanAbove()
            Dim done As New TaskCompletionSource()
            Fire(done)
            Await done.Task
            frame.RanAbove()
            Await Lambdas()
            frame.RanAbove()
        Next
        frame.End()
    End Function

    Public Function Main(arguments As String()) As Integer
        Dim frame = Oracle.Enter()
        If arguments.Contains("storm") Then Storm.Begin()
        Pump.Run(Integer.Parse(arguments(1)), AddressOf All)
        frame.End()
        Oracle.Write()
        Console.WriteLine("logical: success")
        Return 0
    End Function
End Module

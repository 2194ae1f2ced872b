' Constructs that Visual Basic compiles differently: modules, Handles, filters by When, lambdas, iterators, async, default properties,
' ByRef copies, On Error.
Imports System
Imports System.Collections.Generic
Imports System.Threading.Tasks

Public Interface IGreeter
    Function Greet(name As String) As String
End Interface

Public Class Bell
    Public Event Rung(times As Integer)

    Public Sub New()
        Count.Hit("VisualBasicSample.Bell..ctor()")
    End Sub

    Public Sub Ring(times As Integer)
        Count.Hit("VisualBasicSample.Bell.Ring(int)")
        For i = 1 To times
            RaiseEvent Rung(i)
        Next
    End Sub
End Class

Public Class Listener
    Implements IGreeter

    Private WithEvents source As Bell
    Private heard As Integer

    Public Sub New(bell As Bell)
        Count.Hit("VisualBasicSample.Listener..ctor(Bell)")
        ' Setting a WithEvents field subscribes to its events.
        Count.Made("VisualBasicSample.Listener.source.set(Bell)", 1)
        Count.Made("VisualBasicSample.Bell.Rung.add(Bell.RungEventHandler)", 1)
        source = bell
    End Sub

    Private Sub OnRung(times As Integer) Handles source.Rung
        Count.Hit("VisualBasicSample.Listener.OnRung(int)")
        heard += times
    End Sub

    Default Public Property Item(index As Integer) As Integer
        Get
            Count.Hit("VisualBasicSample.Listener.Item.get(int)")
            Return heard + index
        End Get
        Set(value As Integer)
            Count.Hit("VisualBasicSample.Listener.Item.set(int, int)")
            heard = value - index
        End Set
    End Property

    Public Function Greet(name As String) As String Implements IGreeter.Greet
        Count.Hit("VisualBasicSample.Listener.Greet(string)")
        Return "hello " & name
    End Function
End Class

Public Structure Point
    Public ReadOnly X As Integer
    Public ReadOnly Y As Integer

    Public Sub New(x As Integer, y As Integer)
        Count.Hit("VisualBasicSample.Point..ctor(int, int)")
        Me.X = x
        Me.Y = y
    End Sub

    Public Shared Operator +(a As Point, b As Point) As Point
        Count.Hit("VisualBasicSample.Point.op_Addition(Point, Point)")
        Return New Point(a.X + b.X, a.Y + b.Y)
    End Operator
End Structure

Public Module Program
    Public Function Main(args As String()) As Integer
        Count.Hit("VisualBasicSample.Program.Main(string[])")
        Console.WriteLine($"fib {Fib(15)}")
        Objects()
        Exceptions()
        Lambdas()
        Sequences()
        Console.WriteLine($"async {SumAsync(10).GetAwaiter().GetResult()}")
        Count.Write()
        Console.WriteLine("visualbasic: success")
        Return 0
    End Function

    Private Function Fib(n As Integer) As Integer
        Count.Hit("VisualBasicSample.Program.Fib(int)")
        If n < 2 Then Return n
        Return Fib(n - 1) + Fib(n - 2)
    End Function

    Private Sub Bump(ByRef n As Integer, Optional by As Integer = 3)
        Count.Hit("VisualBasicSample.Program.Bump(ref int, int)")
        n += by
    End Sub

    Private Sub Objects()
        Count.Hit("VisualBasicSample.Program.Objects()")
        Dim bell As New Bell()
        Dim listener As New Listener(bell)
        bell.Ring(4)
        listener(1) = listener(2) + 5
        Dim greeter As IGreeter = listener
        Dim sum = New Point(1, 2) + New Point(3, 4)
        Bump(sum.X)
        Dim n = 1
        Bump(n)
        Bump(n, 10)
        Console.WriteLine($"{listener(0)} {greeter.Greet("you")} {sum.X}{sum.Y} {n}")
    End Sub

    Private Sub Fail(message As String)
        Count.Hit("VisualBasicSample.Program.Fail(string)")
        Count.Thrown("VisualBasicSample.Program.Fail(string)")
        Throw New InvalidOperationException(message)
    End Sub

    Private Function Wanted(problem As Exception) As Boolean
        Count.Hit("VisualBasicSample.Program.Wanted(Exception)")
        Return problem.Message = "wanted"
    End Function

    Private Function Attempt(message As String) As String
        Count.Hit("VisualBasicSample.Program.Attempt(string)")
        Try
            Fail(message)
            Return "nothing"
        Catch problem As InvalidOperationException When Wanted(problem)
            Return "wanted"
        Catch problem As Exception
            Return "other"
        Finally
            Bump(0)
        End Try
    End Function

    Private Function Unstructured() As Integer
        Count.Hit("VisualBasicSample.Program.Unstructured()")
        On Error Resume Next
        Fail("ignored")
        Dim number = Err.Number
        Return If(number <> 0, 1, 0)
    End Function

    Private Sub Exceptions()
        Count.Hit("VisualBasicSample.Program.Exceptions()")
        Console.WriteLine($"{Attempt("wanted")} {Attempt("unwanted")} {Unstructured()}")
    End Sub

    Private Function Apply(f As Func(Of Integer, Integer), n As Integer) As Integer
        Count.Hit("VisualBasicSample.Program.Apply(Func<int, int>, int)")
        Return f(n)
    End Function

    Private Sub Lambdas()
        Count.Hit("VisualBasicSample.Program.Lambdas()")
        Dim captured = 5
        Dim add As Func(Of Integer, Integer) =
            Function(n)
                Count.Hit("VisualBasicSample.Program.Lambdas.lambda#1(int)")
                Return n + captured
            End Function
        captured = 7
        Dim doubled = Apply(Function(n)
                                Count.Hit("VisualBasicSample.Program.Lambdas.lambda#2(int)")
                                Return n * 2
                            End Function, 4)
        Console.WriteLine($"{Apply(add, 1)} {Apply(add, 2)} {doubled}")
    End Sub

    Private Iterator Function Countdown(from As Integer) As IEnumerable(Of Integer)
        Try
            For i = from To 1 Step -1
                Count.Hit("VisualBasicSample.Program.Countdown(int) (iterator)")
                Yield i
            Next
            Count.Hit("VisualBasicSample.Program.Countdown(int) (iterator)")
        Finally
            Bump(0)
        End Try
    End Function

    Private Sub Sequences()
        Count.Hit("VisualBasicSample.Program.Sequences()")
        Count.Made("VisualBasicSample.Program.Countdown(int)", 1)
        ' Disposing of it runs the body once more, for its Finally.
        Count.Made("VisualBasicSample.Program.Countdown(int) (iterator)", 1)
        Dim sum = 0
        For Each n In Countdown(5)
            sum += n
        Next
        Console.WriteLine($"sum {sum}")
    End Sub

    Private Async Function SumAsync(times As Integer) As Task(Of Integer)
        Count.Hit("VisualBasicSample.Program.SumAsync(int)")
        Count.Hit("VisualBasicSample.Program.SumAsync(int) (async)")
        Dim sum = 0
        For i = 1 To times
            Await Task.Yield()
            Count.Hit("VisualBasicSample.Program.SumAsync(int) (async)")
            sum += i
        Next
        Return sum
    End Function
End Module

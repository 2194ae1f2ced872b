' What the VB compiler makes of lambdas, async methods and iterators.
Imports System.Collections.Generic
Imports System.Threading.Tasks

Namespace Shop
    Public Interface IStock
        Sub Fill(count As Integer)
    End Interface

    Public Class Cart(Of T)
        Implements IStock

        Public Event Emptied(sender As Object)
        Public Property Total As Integer

        Public Sub Fill(count As Integer) Implements IStock.Fill
            Dim more = Function(x As Integer) x + count
            Dim one = Function(x As Integer) x + 1
            System.Console.Write(more(1) + one(2))
        End Sub

        Public Async Function AddAsync(count As Integer) As Task(Of Integer)
            Await Task.Delay(1)
            Dim wait = Async Function() As Task
                           Await Task.Delay(count)
                       End Function
            Await wait()
            Return count
        End Function

        Public Iterator Function Items(size As Integer) As IEnumerable(Of Integer)
            Yield 1
        End Function

        Default Public ReadOnly Property Item(index As Integer) As String
            Get
                Dim pair = New With {.X = 1, .Y = "a"}
                Dim number = Function() index
                Return pair.ToString() & number()
            End Get
        End Property
    End Class

    Module Program
        Sub Main()
            Dim cart As New Cart(Of String)
            cart.Fill(1)
        End Sub
    End Module
End Namespace

' Classes: events and Handles, properties, operators, generics.
Public Class Bell
    Public Event Rung(times As Integer)

    Public Sub Ring(times As Integer)
        RaiseEvent Rung(times)
    End Sub
End Class

Public Class Listener
    Private WithEvents Bell As Bell
    Public Heard As Integer

    Public Sub New(bell As Bell)
        Me.Bell = bell
    End Sub

    Private Sub OnRung(times As Integer) Handles Bell.Rung
        Heard += times
    End Sub
End Class

Public Class Row
    Private ReadOnly cells(3) As Integer

    Default Public Property Item(index As Integer) As Integer
        Get
            Return cells(index)
        End Get
        Set(value As Integer)
            cells(index) = value
        End Set
    End Property

    Public Property Name As String = "row"
End Class

Public Structure Money
    Public ReadOnly Cents As Integer

    Public Sub New(cents As Integer)
        Me.Cents = cents
    End Sub

    Public Shared Operator +(left As Money, right As Money) As Money
        Return New Money(left.Cents + right.Cents)
    End Operator

    Public Shared Widening Operator CType(whole As Integer) As Money
        Return New Money(whole * 100)
    End Operator
End Structure

Public Class Stack(Of T)
    Private ReadOnly items As New List(Of T)

    Public Sub Push(item As T)
        items.Add(item)
    End Sub

    Public Function Pop() As T
        Dim last = items(items.Count - 1)
        items.RemoveAt(items.Count - 1)
        Return last
    End Function
End Class

Public Module Objects
    Public Sub Events()
        Dim bell As New Bell()
        Dim listener As New Listener(bell)
        bell.Ring(3)
        AddHandler bell.Rung, Sub(times) listener.Heard += 10 * times
        bell.Ring(1)
        Console.WriteLine(listener.Heard)
    End Sub

    Public Sub Properties()
        Dim row As New Row()
        row(1) = 5
        row(1) += 2
        row.Name &= row(1)
        Console.WriteLine(row.Name)
    End Sub

    Public Sub Operators()
        Dim sum As Money = New Money(5) + 2
        sum += sum
        Console.WriteLine(sum.Cents)
    End Sub

    Public Sub Generics()
        Dim numbers As New Stack(Of Integer)
        numbers.Push(5)
        Dim number = numbers.Pop()
        Dim words As New Stack(Of String)
        words.Push("word")
        Dim word = words.Pop()
        Console.WriteLine($"{number} {word}")
    End Sub
End Module

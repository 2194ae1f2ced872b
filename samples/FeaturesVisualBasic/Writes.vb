' What an assignment changes: items of arrays with several dimensions, fields of fields, items of collections.
Imports System
Imports System.Collections
Imports System.Collections.Generic

Public Structure Inner
    Public A As Integer
End Structure

Public Structure Outer
    Public [In] As Inner
End Structure

Public Module Writes
    Public Sub Run()
        Grids()
        Paths()
        Collections()
    End Sub

    Private Sub Grids()
        Dim grid(2, 3) As Integer
        grid(1, 2) = 4
        grid(1, 2) += 1
        Dim cube(1, 2, 3) As String
        cube(1, 2, 3) = "corner"
        Console.WriteLine($"{grid(1, 2)} {cube(1, 2, 3)}")
    End Sub

    Private Sub Paths()
        Dim whole As Outer
        whole.In.A = 9
        Dim row(1) As Outer
        row(1).In.A = 12
        Console.WriteLine($"{whole.In.A} {row(1).In.A}")
    End Sub

    Private Sub Collections()
        Dim list As New List(Of String) From {"a"}
        list(0) &= "b"
        Dim ages As New Dictionary(Of String, Integer)
        ages("Ann") = 30
        ages("Ann") += 1
        ages!Bob = 20
        Dim old As New Hashtable From {{"one", 1}}
        old(2) = "two"
        Dim queue As New Queue(Of Integer)
        queue.Enqueue(1)
        Console.WriteLine($"{list(0)} {ages("Ann")} {old.Count} {queue.Count}")
    End Sub
End Module

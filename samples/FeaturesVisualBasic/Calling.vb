' Calls: ByRef and its copies, optional arguments, lambdas, static locals, late binding.
Public Class Holder
    Public Property Number As Integer = 1
End Class

Public Module Calling
    Private Sub Twice(ByRef number As Integer)
        number *= 2
    End Sub

    ' A property by reference is copied in and copied back.
    Public Sub References()
        Dim number = 3
        Twice(number)
        Dim holder As New Holder()
        Twice(holder.Number)
        Dim items = {5}
        Twice(items(0))
        Console.WriteLine($"{number} {holder.Number} {items(0)}")
    End Sub

    Private Function Describe(first As Integer, Optional second As String = "usual") As String
        Return $"[{first} {second}]"
    End Function

    Private Function Count(ParamArray numbers As Integer()) As Integer
        Return numbers.Length
    End Function

    Public Sub Defaults()
        Dim text = Describe(1)
        text &= Describe(second:="given", first:=2)
        text &= Count(4, 5) & Count()
        Console.WriteLine(text)
    End Sub

    Public Sub Lambdas()
        Dim count = 1
        Dim add = Sub(number As Integer)
                      count += number
                  End Sub
        add(5)
        Dim square = Function(n As Integer) n * n
        count += square(3)
        Console.WriteLine(count)
    End Sub

    Private Function NextNumber() As Integer
        Static last As Integer = 10
        last += 1
        Return last
    End Function

    Public Sub Statics()
        Dim first = NextNumber()
        Dim second = NextNumber()
        Console.WriteLine($"{first} {second}")
    End Sub

    Public Sub Late()
        Dim holder As New Holder()
        CallByName(holder, "Number", CallType.Set, 5)
        Dim number = CInt(CallByName(holder, "Number", CallType.Get))
        Console.WriteLine(number)
    End Sub
End Module

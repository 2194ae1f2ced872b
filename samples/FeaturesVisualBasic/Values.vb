' Values: strings, arrays, structures, With, nullables, anonymous types.
Public Structure Point
    Public X As Integer
    Public Y As Integer

    Public Sub Move(distance As Integer)
        X += distance
        Y += distance
    End Sub
End Structure

Public Module Values
    Public Sub Strings()
        Dim text = "abc"
        Mid(text, 2, 1) = "X"
        text &= 5 & vbTab
        Dim equal = text = Nothing
        Console.WriteLine($"{text.Trim()} {equal} {Len(text)}")
    End Sub

    Public Sub Arrays()
        Dim numbers(1) As Integer
        numbers(1) = 5
        ReDim Preserve numbers(2)
        numbers(2) = numbers(1) * 2
        Dim grid(1, 1) As String
        grid(0, 1) = "cell"
        Console.WriteLine($"{numbers(2)} {numbers.Length} {grid(0, 1)}")
        Erase numbers
    End Sub

    Public Sub Structures()
        Dim first As Point
        first.X = 1
        Dim second = first
        second.Move(5)
        first = Nothing
        Console.WriteLine($"{first.X} {second.X} {second.Y}")
    End Sub

    Public Sub Withs()
        Dim point As New Point With {.X = 1}
        With point
            .Y = .X + 1
            .Move(10)
        End With
        Console.WriteLine($"{point.X} {point.Y}")
    End Sub

    Public Sub Nullables()
        Dim number As Integer? = Nothing
        Dim sum = number + 1
        Dim otherwise = If(number, 7)
        number = otherwise
        Dim larger = number > 5
        Console.WriteLine($"{sum.HasValue} {otherwise} {larger}")
    End Sub

    Public Sub Anonymous()
        Dim thing = New With {Key .Name = "n", .Count = 1}
        thing.Count += 2
        Dim tuple As (Number As Integer, Text As String) = (thing.Count, thing.Name)
        tuple.Text &= "!"
        Console.WriteLine($"{tuple.Number} {tuple.Text}")
    End Sub
End Module

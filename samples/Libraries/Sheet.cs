using NPOI.HSSF.UserModel;
using NPOI.SS.UserModel;

// A workbook in the old binary format with formulas, written, read again and worked out.
static class Sheet
{
    public static string Run()
    {
        using var file = new MemoryStream();
        Write().Write(file);
        var again = new HSSFWorkbook(new MemoryStream(file.ToArray()));
        ISheet sheet = again.GetSheetAt(0);
        var evaluator = new HSSFFormulaEvaluator(again);
        double sum = 0;
        for (int r = 0; r <= sheet.LastRowNum; r++)
        {
            IRow row = sheet.GetRow(r);
            sum += evaluator.Evaluate(row.GetCell(3)).NumberValue + row.GetCell(2).StringCellValue.Length;
        }
        return FormattableString.Invariant($"{sheet.LastRowNum + 1} rows, {sum:R}, {file.Length} bytes");
    }

    static HSSFWorkbook Write()
    {
        var book = new HSSFWorkbook();
        ISheet sheet = book.CreateSheet("Parts");
        for (int r = 0; r < 300; r++)
        {
            IRow row = sheet.CreateRow(r);
            row.CreateCell(0).SetCellValue(r * 1.25);
            row.CreateCell(1).SetCellValue(r % 13);
            row.CreateCell(2).SetCellValue($"part {r % 40}");
            row.CreateCell(3).SetCellFormula($"IF(B{r + 1}>6,SUM(A1:A{r + 1})/({r}+1),ROUND(A{r + 1}*B{r + 1},1))");
        }
        return book;
    }
}

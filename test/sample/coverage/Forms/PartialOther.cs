namespace Forms;

public partial class Partial
{
    public int Second()
    {
        return 2;
    }

    public int NeverCalled()
    {
        return 3;
    }
}

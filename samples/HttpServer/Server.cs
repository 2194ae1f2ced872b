// Accepts connections on one thread and answers them on others. A thread keeps a connection until it ends, so a client must
// not keep more of them open than there are threads.
using System.Net;
using System.Net.Sockets;

namespace HttpServer;

internal sealed class Server
{
    private const int TimeoutMs = 30_000;
    private readonly Site site;
    private readonly int requestsMax;
    private readonly TcpListener listener = new(IPAddress.Loopback, 0);
    private readonly Queue<TcpClient> waiting = new();
    private readonly HashSet<TcpClient> open = new();
    private readonly SortedDictionary<int, int> statuses = new();
    private readonly List<Thread> workers = new();
    private bool finished;

    public Server(Site site, int requestsMax)
    {
        this.site = site;
        this.requestsMax = requestsMax;
    }

    public int Answered { get; private set; }

    public long BodyBytes { get; private set; }

    public IEnumerable<KeyValuePair<int, int>> Statuses => statuses;

    // The port.
    public int Start(int threads)
    {
        listener.Start();
        for (int number = 1; number <= threads; number++)
        {
            var worker = new Thread(Work) { Name = $"worker {number}" };
            workers.Add(worker);
            worker.Start();
        }
        return ((IPEndPoint)listener.LocalEndpoint).Port;
    }

    // Until all requests are answered.
    public void Run()
    {
        try
        {
            while (true)
            {
                Hand(listener.AcceptTcpClient());
            }
        }
        catch (Exception problem) when (Finished && problem is SocketException or InvalidOperationException)
        {
            // Finish() took the listener away, while we waited or before.
        }
        foreach (Thread worker in workers)
        {
            worker.Join();
        }
    }

    private bool Finished
    {
        get
        {
            lock (waiting)
            {
                return finished;
            }
        }
    }

    private void Hand(TcpClient client)
    {
        client.NoDelay = true;
        client.ReceiveTimeout = TimeoutMs;
        client.SendTimeout = TimeoutMs;
        lock (waiting)
        {
            waiting.Enqueue(client);
            Monitor.Pulse(waiting);
        }
    }

    private void Work()
    {
        for (TcpClient client = Take(); client != null; client = Take())
        {
            try
            {
                Converse(client);
            }
            catch (IOException)
            {
                // The client went away, or Finish() hung up.
            }
            Release(client);
        }
    }

    // The next connection; null when there will be none.
    private TcpClient Take()
    {
        lock (waiting)
        {
            while (waiting.Count == 0 && !finished)
            {
                Monitor.Wait(waiting);
            }
            if (finished)
            {
                return null;
            }
            TcpClient client = waiting.Dequeue();
            open.Add(client);
            return client;
        }
    }

    private void Release(TcpClient client)
    {
        lock (waiting)
        {
            open.Remove(client);
        }
        client.Dispose();
    }

    private void Converse(TcpClient client)
    {
        Stream stream = client.GetStream();
        var reader = new LineReader(stream);
        bool goesOn = true;
        while (goesOn)
        {
            Response response;
            try
            {
                Request request = Request.Read(reader);
                if (request == null)
                {
                    return;
                }
                response = Response.To(request, site);
                goesOn = request.KeepAlive;
            }
            catch (BadRequestException)
            {
                response = Response.Problem(400);
                goesOn = false;
            }
            response.Write(stream, goesOn);
            Count(response);
        }
    }

    private void Count(Response response)
    {
        lock (waiting)
        {
            Answered++;
            BodyBytes += response.Length;
            statuses.TryGetValue(response.Status, out int times);
            statuses[response.Status] = times + 1;
            if (Answered == requestsMax)
            {
                Finish();
            }
        }
    }

    // Called with the lock held: wakes threads that wait for a connection or a request.
    private void Finish()
    {
        finished = true;
        listener.Stop();
        Monitor.PulseAll(waiting);
        foreach (TcpClient client in open)
        {
            HangUp(client.Client);
        }
    }

    private static void HangUp(Socket socket)
    {
        try
        {
            socket.Shutdown(SocketShutdown.Receive);
        }
        catch (SocketException)
        {
            // The client was faster.
        }
    }
}

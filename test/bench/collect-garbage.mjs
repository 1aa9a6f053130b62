// Collects garbage in the Node process whose inspector listens at a port, and prints its memory as JSON. Runs on the workbench's Node, which has
// WebSocket: node collect-garbage.mjs PORT
const [{ webSocketDebuggerUrl }] = await (await fetch(`http://127.0.0.1:${process.argv[2]}/json/list`)).json();
const socket = new WebSocket(webSocketDebuggerUrl);
await new Promise((resolve, reject) => {
  socket.onopen = resolve;
  socket.onerror = () => reject(new Error('The inspector does not answer.'));
});
let last = 0;
const send = (method, params = {}) =>
  new Promise((resolve) => {
    const id = ++last;
    socket.addEventListener('message', ({ data }) => {
      const message = JSON.parse(data);
      if (message.id === id) resolve(message.result);
    });
    socket.send(JSON.stringify({ id, method, params }));
  });
await send('HeapProfiler.enable');
await send('HeapProfiler.collectGarbage');
const { result } = await send('Runtime.evaluate', { expression: 'JSON.stringify(process.memoryUsage())' });
console.log(result.value);
socket.close();

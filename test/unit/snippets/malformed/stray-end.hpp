int a;
// snippet: end

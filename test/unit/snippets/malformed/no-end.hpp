// snippet: begin seam-a | First
int a;
// snippet: begin seam-b | Second
int b;
// snippet: end

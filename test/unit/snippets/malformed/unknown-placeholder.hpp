// snippet: begin seam-a | First
// snippet: placeholders b
int a;
// snippet: end

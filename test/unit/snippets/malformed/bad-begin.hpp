// snippet: begin Seam A
int a;
// snippet: end

/* Every core greets, and puts its number. */

#include "syncfabric.h"

int main(void)
{
    sf_puts("hello, world\n");
    sf_put(sf_core());
    return 0;
}

/* Every core greets, and says its number. */

#include "syncfabric.h"

int main(void)
{
    sf_puts("hello from core ");
    sf_put(sf_core());
    return 0;
}
